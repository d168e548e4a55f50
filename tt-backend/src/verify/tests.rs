use super::*;
#[test]
fn ok() { verify(&fixture::kernel(), &fixture::device()).unwrap(); }
