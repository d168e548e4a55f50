//! The execution plan (tt.plan.json): its types, formulas, loader and validator.
