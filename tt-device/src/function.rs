//! Functions of the device's headers.

/// A device function.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The header that declares it.
    pub header: &'static str,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}
