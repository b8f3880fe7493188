//! Delta solved: an exact solver, and certificates that others can check.

mod board;
pub mod certificate;
mod proof_table;
mod prover;
pub mod solver;

pub use certificate::{CertificateError, CertificateSummary};
pub use solver::DeltaSolver;
