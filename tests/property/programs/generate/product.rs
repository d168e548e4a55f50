//! Products with what they need, and loops over them.

use super::super::program::{Access, At, Class, Expr, Part, Product, Side, Stmt};
use super::body::Body;
use super::choice::{holds_sums, is_number};

impl Body<'_> {
    /// Sums that grow round a loop and are read in it; their operands may be those of the turn before.
    pub fn sums(&mut self) -> Vec<Stmt> {
        let acc = self.any(Class::Main);
        let mut stmts = Vec::new();
        let mut fill = |body: &mut Self, block: usize| {
            let value = i32::from(body.random.one_in(3));
            body.defined[block] = true;
            let of = body.stage.blocks[block].class;
            stmts.push(Stmt::filled(of, block, value));
        };
        fill(self, acc);
        let turned = self.random.one_in(3);
        if turned {
            for block in self.blocks(|block| block != acc) {
                fill(self, block);
            }
        }
        let mut repeat = self.repeat(Some(acc));
        if let Stmt::For { body, .. } = &mut repeat
            && turned
        {
            let by = self.random.below(body.len());
            body.rotate_left(by);
        }
        stmts.push(repeat);
        stmts
    }

    /// What becomes of an operand of a product between its load and the product.
    fn prepared(&mut self, load: Stmt, class: Class, to: Part, was_defined: bool) -> Vec<Stmt> {
        if was_defined && self.random.one_in(4) {
            let cond = self.condition(1);
            let (then, otherwise) = (vec![load], Vec::new());
            return vec![Stmt::If { cond, then, otherwise }];
        }
        let mut stmts = vec![load];
        if self.random.one_in(4) {
            let read = Box::new(Expr::Block(to, Access::Here));
            let value = match self.random.below(3) {
                0 => Expr::Unary("neg", read),
                1 => Expr::Binary("-", Box::new(Expr::Number(1)), read),
                _ => Expr::Unary("abs", read),
            };
            stmts.push(self.set(class, to, value));
        }
        stmts
    }

    /// An operand of a product, small so that the sums are: read from a tensor, or computed, or one that is there.
    fn operand(&mut self, class: Class, stmts: &mut Vec<Stmt>, acc: usize, is_new: bool) -> Option<Part> {
        if self.random.one_in(8)
            && let Some(from) = self.readable(class, is_number)
            && let Some(to) = self.writable(class, holds_sums)
            && to.block != acc
        {
            let value = Expr::Unary("sign", Box::new(Expr::Block(from, Access::Here)));
            stmts.push(self.set(class, to, value));
            return Some(to);
        }
        if !is_new
            && self.random.one_in(3)
            && let Some(part) = self.readable(class, is_number)
            && part.block != acc
        {
            return Some(part);
        }
        let tensor = self.tensor(class, false, is_number)?;
        let (index, before) = (self.index_of(tensor), self.defined.clone());
        let element = self.program.tensors[tensor].element;
        let to = self.writable(class, |of| is_number(of) && element.copies_to(of));
        let to = to.filter(|to| to.block != acc)?;
        let load = Stmt::Copy {
            id: self.id(),
            class,
            from: Side::Tensor(tensor, index, [At::FIRST; 2]),
            to: Side::Block(to),
            rows: None,
        };
        stmts.extend(self.prepared(load, class, to, before[to.block]));
        Some(to)
    }

    /// A product with what it needs, into `sums` or any block.
    pub fn gemm(&mut self, sums: Option<usize>) -> Vec<Stmt> {
        let id = self.id();
        // Most often one that holds something: sums go on round the loop.
        let held = self.blocks(|at| {
            let block = &self.stage.blocks[at];
            self.defined[at] && block.class == Class::Main && block.stacked == 1 && holds_sums(block.element)
        });
        let acc = match sums {
            Some(acc) => acc,
            None if !held.is_empty() && !self.random.one_in(4) => self.random.pick(&held),
            None => self.any(Class::Main),
        };
        let mut stmts = Vec::new();
        let (mut to, added) = (Part::whole(acc), self.random.pick(&[Product::Adds, Product::Indexed]));
        let form = if self.defined[acc] {
            if sums.is_none()
                && self.random.one_in(6)
                && let Some(part) = self.part(Class::Main, holds_sums)
            {
                to = part;
            }
            match sums {
                None if self.random.one_in(8) => Product::Clears,
                _ => added,
            }
        } else if self.random.one_in(2) {
            stmts.push(Stmt::filled(Class::Main, acc, 0));
            added
        } else {
            Product::Clears
        };
        let acc = to.block;
        let mut transposed = [false; 2];
        let mut operands = [None; 2];
        for (at, class) in [Class::Left, Class::Right].into_iter().enumerate() {
            let turned = self.transpose(class).filter(|_| self.random.one_in(6));
            transposed[at] = turned.is_some();
            operands[at] = self.operand(turned.unwrap_or(class), &mut stmts, acc, sums.is_some());
        }
        let [Some(a), Some(b)] = operands else {
            let (class, value) = (Class::Main, 1);
            stmts.push(Stmt::Fill { class, to, value });
            self.defined[acc] = true;
            return stmts;
        };
        self.defined[acc] = true;
        stmts.push(Stmt::Gemm {
            id,
            a,
            b,
            acc: to,
            transposed: transposed.into(),
            form,
        });
        // And they are read while they grow.
        let element = self.stage.blocks[acc].element;
        match self.random.below(4) {
            0 => {
                if let Some(tensor) = self.stored_to(Class::Main, element) {
                    let side = Side::Tensor(tensor, self.index_of(tensor), [At::FIRST; 2]);
                    let from = Side::Block(to);
                    stmts.extend(self.copy(Class::Main, from, side));
                }
            }
            1 => {
                let sums = to;
                if let Some(to) = self.writable(Class::Main, holds_sums) {
                    let (two, sums) = (Expr::Number(2), Expr::Block(sums, Access::Here));
                    let value = Expr::Binary("-", Box::new(two), Box::new(sums));
                    stmts.push(self.set(Class::Main, to, value));
                }
            }
            _ => {}
        }
        stmts
    }
}
