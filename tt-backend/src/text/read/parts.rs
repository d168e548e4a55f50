//! What stands in lines at several stages: regions, operands, operations on registers, ends of sections, the table of buffers.

use super::super::names::{NEGATIVE, buffer_kind, tile_op};
use super::{Read, Reader};
use crate::flow::{
    Arg, Broadcast, Buffer, BufferKind, Constant, Depth, Index, Integer, Kept, Matmul, Operand, Pace, Pack, PackMode,
    ProductSees, Rows, ShardOf, TensorIndex, TileRegion, Transfer, Unchanged, Window,
};
use crate::tile_ops::{FpuOp, SFPU_OPS, TileOp};
use tt_lang::ir::{BlockId, ElementType, IntExpr, ParamId, VarId};
use tt_plan::{DataFormat, GridStep, Role};

impl Reader<'_> {
    /// A rectangle of tiles of a tensor.
    pub fn window(&mut self) -> Read<Window> {
        self.expect("at")?;
        let from = self.both()?;
        let pace = self.pace()?;
        self.expect("to")?;
        let to = self.both()?;
        self.expect("of")?;
        let rows = self.int()?;
        self.expect("x")?;
        let extent = [rows, self.int()?];
        self.expect("elements")?;
        Ok(Window { from, to, extent, pace })
    }

    /// How rows follow each other.
    fn pace(&mut self) -> Read<Pace> {
        let mut pace = Pace::PLAIN;
        if self.eat("step") {
            let Ok(step) = self.signed()?.try_into() else {
                return self.wanted("a step");
            };
            pace.step = step;
        }
        if self.eat("over") {
            pace.over = self.parse()?;
        }
        if self.eat("modulo") {
            pace.modulo = Some(self.parse()?);
        }
        Ok(pace)
    }

    /// `(b, t)`
    fn indices(&mut self) -> Read<Vec<TensorIndex>> {
        self.list("(", ")", |this| {
            Ok(TensorIndex {
                at: this.int()?,
                may_miss: false,
            })
        })
    }

    /// A rectangle of tiles of a tensor.
    pub fn region(&mut self) -> Read<TileRegion> {
        let tensor = self.tensor()?;
        let matrix = match self.eat("matrix") {
            true => self.indices()?,
            false => Vec::new(),
        };
        let transfer = match self.eat("rows") {
            true => {
                let first = self.both()?;
                self.expect("at most")?;
                let count = self.both()?;
                let pace = self.pace()?;
                let along = match self.eat("along") {
                    true => {
                        let axis = self.parse()?;
                        self.expect("in row")?;
                        Some((axis, self.int()?))
                    }
                    false => None,
                };
                Transfer::Rows(Rows {
                    first,
                    count,
                    pace,
                    along,
                })
            }
            false => {
                self.expect("tile")?;
                Transfer::Pages(self.both()?)
            }
        };
        self.expect("of")?;
        let rows = self.parse()?;
        self.expect("x")?;
        let mut region = TileRegion {
            tensor,
            matrix,
            transfer,
            extent: [rows, self.parse()?],
            may_exceed: [false; 2],
            may_precede: [false; 2],
            zero_edge: [false; 2],
        };
        self.expect("elements")?;
        while self.eat(",") {
            if self.eat("may exceed") {
                region.may_exceed = self.axes()?;
            } else if self.eat("may precede") {
                region.may_precede = self.axes()?;
            } else if self.eat("zero edge of") {
                region.zero_edge = self.axes()?;
            } else {
                self.expect("matrix may miss")?;
                self.axes_missed(&mut region.matrix)?;
            }
        }
        Ok(region)
    }

    /// `(row, column)`
    fn both(&mut self) -> Read<[IntExpr; 2]> {
        self.expect("(")?;
        let row = self.int()?;
        self.expect(",")?;
        let column = self.int()?;
        self.expect(")")?;
        Ok([row, column])
    }

    /// `0 and 2`: the axes for which something may be.
    fn axes_missed(&mut self, indices: &mut [TensorIndex]) -> Read<()> {
        loop {
            let axis: usize = self.parse()?;
            let Some(index) = indices.get_mut(axis) else {
                return self.wanted("an axis of the tensor before");
            };
            index.may_miss = true;
            if !self.eat("and") {
                return Ok(());
            }
        }
    }

    fn axes(&mut self) -> Read<[bool; 2]> {
        if self.eat("rows and columns") {
            Ok([true, true])
        } else if self.eat("rows") {
            Ok([true, false])
        } else {
            self.expect("columns")?;
            Ok([false, true])
        }
    }

    /// `+2`, `-1`
    fn tiles_off(&mut self) -> Read<i32> {
        if self.eat("-") {
            return self.parse().map(|size: i32| -size);
        }
        self.expect("+")?;
        self.parse()
    }

    /// Tiles of a buffer.
    pub fn operand(&mut self) -> Read<Operand> {
        let buffer = self.buffer()?;
        let sees = match self.peek() {
            "@" => Some(self.sees()?),
            _ => None,
        };
        let mut offset = [0; 2];
        if matches!(self.peek(), "[") {
            self.expect("[")?;
            offset[0] = self.tiles_off()?;
            self.expect(",")?;
            offset[1] = self.tiles_off()?;
            self.expect("]")?;
        }
        let broadcasts = [
            ("row", Broadcast::Row),
            ("column", Broadcast::Column),
            ("scalar", Broadcast::Scalar),
            ("transposed", Broadcast::Transpose),
        ];
        let said = broadcasts.into_iter().find(|(name, _)| self.eat(&format!(". {name}")));
        Ok(Operand {
            buffer,
            offset,
            broadcast: said.map_or(Broadcast::None, |(_, broadcast)| broadcast),
            sees,
        })
    }

    /// `Float32`
    pub fn format(&mut self) -> Read<DataFormat> {
        let Some(format) = DataFormat::ALL.iter().find(|format| format.name() == self.peek()) else {
            return self.wanted("a data format");
        };
        self.at += 1;
        Ok(*format)
    }

    /// `i32`
    pub fn element_type(&mut self) -> Read<ElementType> {
        let Some((element, _)) = ElementType::ALL.iter().find(|(_, name)| *name == self.peek()) else {
            return self.wanted("an element type");
        };
        self.at += 1;
        Ok(*element)
    }

    /// `%2`
    pub fn register(&mut self) -> Read<u32> {
        self.expect("%")?;
        self.parse()
    }

    /// A product or an operation on registers.
    pub fn step(&mut self) -> Read<Registers> {
        let out = self.register()?;
        if self.eat("=") {
            let op = self.tile_op()?;
            let args = self.list("(", ")", |this| {
                if this.peek() == "%" {
                    return Ok(Arg::Register(this.register()?));
                }
                if this.peek_after(1) == "(" && this.eat("integer") {
                    return this.integer().map(Arg::Integer);
                }
                match this.attempt(Self::operand) {
                    Some(operand) => Ok(match this.buffers[operand.buffer.0].kind.constant() {
                        Some(_) => Arg::Constant(operand.buffer),
                        None => Arg::Tile(operand),
                    }),
                    None => Ok(Arg::Number(this.number()?)),
                }
            })?;
            return Ok(Registers::Tile { op, out, args });
        }
        if out != 0 {
            return self.wanted("`=`");
        }
        let defines = self.defines()?;
        self.expect("+=")?;
        let a = self.buffer()?;
        let sees_a = self.sees()?;
        self.expect("*")?;
        let b = self.buffer()?;
        let sees_b = self.sees()?;
        let transpose = self.eat(". transposed");
        let acc = match self.eat("after") {
            true => Some(self.definitions()?),
            false => None,
        };
        self.expect(", k")?;
        let k = self.parse()?;
        self.expect(", b step")?;
        let b_step = self.parse()?;
        self.expect(", b column")?;
        Ok(Registers::Product(Matmul {
            a,
            b,
            defines,
            sees: ProductSees {
                a: sees_a,
                b: sees_b,
                acc,
            },
            k,
            b_step,
            b_column: self.parse()?,
            transpose,
        }))
    }

    /// `(1, 0, by * 64)`
    pub fn index(&mut self) -> Read<Index> {
        self.expect("(")?;
        let row = self.signed()?;
        self.expect(",")?;
        let column = self.signed()?;
        self.expect(",")?;
        let rest = self.int()?;
        self.expect(")")?;
        Ok(Index { row, column, rest })
    }

    /// `page = pages (b, t), may miss 0 and 1`
    pub fn fetched(&mut self) -> Read<(VarId, ParamId, Vec<TensorIndex>)> {
        let var = self.fetched_variable()?;
        self.expect("=")?;
        let tensor = self.tensor()?;
        let mut indices = self.indices()?;
        if self.eat(", may miss") {
            self.axes_missed(&mut indices)?;
        }
        Ok((var, tensor, indices))
    }

    /// `along axis 1, 4 tiles`, where it stands here.
    pub fn along(&mut self) -> Read<Option<(usize, u32)>> {
        if !self.eat("along axis") {
            return Ok(None);
        }
        let axis = self.parse()?;
        self.expect(",")?;
        let tiles = self.parse()?;
        self.expect("tiles")?;
        Ok(Some((axis, tiles)))
    }

    /// `unless below_zero(1, 0, by * 64)`, where it stands here.
    pub fn unless(&mut self) -> Read<Option<Index>> {
        if !self.eat("unless") {
            return Ok(None);
        }
        self.expect(NEGATIVE)?;
        self.index().map(Some)
    }

    /// `integer(by * 64, 32, 0)` behind its name.
    fn integer(&mut self) -> Read<Integer> {
        self.expect("(")?;
        let first = self.int()?;
        self.expect(",")?;
        let down = self.signed()?;
        self.expect(",")?;
        let per_tile = [down, self.signed()?];
        let over = match self.eat("over") {
            true => self.signed()?,
            false => 1,
        };
        let between = match self.eat(",") {
            true => {
                let low = self.signed()?;
                self.expect(",")?;
                Some([low, self.signed()?])
            }
            false => None,
        };
        self.expect(")")?;
        Ok(Integer {
            first,
            per_tile,
            over,
            between,
        })
    }

    fn tile_op(&mut self) -> Read<TileOp> {
        let name = self.peek();
        let fpu = [FpuOp::Add, FpuOp::Sub, FpuOp::Mul].map(TileOp::Fpu);
        let all = [TileOp::Load, TileOp::MulReuse, TileOp::TransposeDest, TileOp::Fill]
            .into_iter()
            .chain(fpu)
            .chain(SFPU_OPS.iter().map(|row| TileOp::Sfpu(row.op)));
        match all.into_iter().find(|op| tile_op(*op) == name) {
            Some(op) => {
                self.at += 1;
                Ok(op)
            }
            None => self.wanted("an operation on registers"),
        }
    }

    /// The head of a section: tiles, those of a chunk, registers.
    pub fn section_head(&mut self) -> Read<([u32; 2], [u32; 2], u32)> {
        self.expect("section")?;
        let tiles = self.by()?;
        self.expect("tiles by")?;
        let chunk = self.by()?;
        self.expect(",")?;
        let registers = self.parse()?;
        if !self.eat("register each") {
            self.expect("registers each")?;
        }
        Ok((tiles, chunk, registers))
    }

    /// `2 x 4`
    pub fn by(&mut self) -> Read<[u32; 2]> {
        let rows = self.parse()?;
        self.expect("x")?;
        Ok([rows, self.parse()?])
    }

    /// The end of a section; `made` reads what the packed version is.
    pub fn pack<T>(&mut self, made: impl FnOnce(&mut Self) -> Read<T>) -> Read<(u32, Pack, T)> {
        self.expect("pack")?;
        let register = self.register()?;
        self.expect("into")?;
        let buffer = self.buffer()?;
        let made = made(self)?;
        self.expect("(")?;
        let relu = self.eat("relu");
        if relu {
            self.expect(",")?;
        }
        let mode = if self.eat("publish") {
            PackMode::Publish
        } else if self.eat("overwrite") {
            PackMode::Overwrite
        } else if self.eat("add unless") {
            let mut loops = Vec::new();
            loop {
                let var = self.variable()?;
                self.expect("=")?;
                loops.push((var, self.int()?));
                if !self.eat("and") {
                    break PackMode::AddAfterFirst(loops);
                }
            }
        } else {
            self.expect("add")?;
            PackMode::Add
        };
        self.expect(")")?;
        Ok((register, Pack { buffer, mode, relu }, made))
    }

    /// The table of buffers.
    pub fn table(&mut self) -> Read<()> {
        self.expect("buffers")?;
        self.buffers = self.braced(Self::row)?;
        Ok(())
    }

    fn row(&mut self) -> Read<Buffer> {
        let span = self.span();
        let has_index = self.peek_after(1) != ":";
        let index = match self.peek().strip_prefix("c_").and_then(|index| index.parse().ok()) {
            Some(index) if has_index => {
                self.at += 1;
                Some(index)
            }
            _ => None,
        };
        let name = self.name()?.to_string();
        self.expect(":")?;
        let kinds = [
            BufferKind::Incoming,
            BufferKind::Local,
            BufferKind::Outgoing,
            BufferKind::Shifted,
        ];
        let roles = [Role::Reader, Role::Compute, Role::Writer];
        let of_roles = roles
            .map(BufferKind::Scratch)
            .into_iter()
            .chain(roles.map(BufferKind::Token));
        let constants = Constant::ALL.map(BufferKind::Constant);
        let mut kinds = kinds.into_iter().chain(constants).chain(of_roles);
        let Some(kind) = kinds.find(|kind| self.eat(buffer_kind(*kind))) else {
            return self.wanted("incoming, local, outgoing, shifted, a constant, scratch or a token");
        };
        self.expect(",")?;
        let tiles = self.by()?;
        let format = self.format()?;
        self.expect(",")?;
        let mut buffer = Buffer {
            versions: self.parse()?,
            index,
            ..Buffer::new(name, span, kind, format, tiles)
        };
        if !self.eat("version") {
            self.expect("versions")?;
        }
        while self.eat(",") {
            if self.eat("block") {
                buffer.block = Some(self.block()?);
            } else if self.eat("column by column") {
                buffer.column_major = true;
            } else if self.eat("unpacked to destination") {
                buffer.unpack_to_dest = true;
            } else if self.eat("kept while") {
                let mut unchanged = vec![self.unchanged()?];
                while self.eat("and") {
                    unchanged.push(self.unchanged()?);
                }
                buffer.kept = Some(Kept::While(unchanged));
            } else if self.eat("kept") {
                buffer.kept = Some(Kept::Always);
            } else if self.peek() == "on" || self.peek() == "of" {
                let lies_there = self.eat("on");
                if !lies_there {
                    self.expect("of")?;
                }
                self.expect("the shard of")?;
                let tensor = self.tensor()?;
                self.expect("at")?;
                let mut first = vec![self.grid_step()?];
                while self.eat("and") {
                    first.push(self.grid_step()?);
                }
                buffer.shard = Some(ShardOf {
                    tensor,
                    first,
                    lies_there,
                });
            } else {
                buffer.depth = Depth::Asked(self.parse()?);
                self.expect("asked")?;
            }
        }
        Ok(buffer)
    }

    fn unchanged(&mut self) -> Read<Unchanged> {
        let axis = self.variable()?;
        self.expect("is")?;
        let before = self.variable()?;
        Ok(Unchanged { axis, before })
    }

    fn grid_step(&mut self) -> Read<GridStep> {
        let first = self.parse()?;
        self.expect("+")?;
        let step = self.parse()?;
        self.expect("of")?;
        let axis = self.parse()?;
        Ok(GridStep { first, step, axis })
    }

    fn block(&mut self) -> Read<BlockId> {
        let (name, number) = self.numbered()?;
        let index = number.or_else(|| self.kernel.blocks.iter().position(|block| block.name == name));
        match index {
            Some(index) => Ok(BlockId(index as u32)),
            None => self.wanted("a block before"),
        }
    }
}

/// What stands in registers.
pub enum Registers {
    /// An operation.
    Tile { op: TileOp, out: u32, args: Vec<Arg> },
    /// A product.
    Product(Matmul),
}
