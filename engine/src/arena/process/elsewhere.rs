//! Where pipes cannot be waited for as Unix systems do it, no engine is started; everything else is there.

use std::{io, path::Path, time::Instant};

use super::{Exit, Silence};
use crate::arena::halt::Halt;

/// There is none.
#[derive(Debug)]
pub enum Process {}

impl Process {
    /// Refuses.
    pub fn start(_: &[String], _: Option<&Path>, _: &Halt) -> io::Result<Self> {
        let problem = "engine processes need a Unix system";
        Err(io::Error::new(io::ErrorKind::Unsupported, problem))
    }

    /// Never called.
    pub fn give_way(&self) {
        match *self {}
    }

    /// Never called.
    pub fn send(&mut self, _: &str) {
        match *self {}
    }

    /// Never called.
    pub fn hear(&mut self, _: Instant) -> Result<String, Silence> {
        match *self {}
    }

    /// Never called.
    pub fn pass_over(&mut self) {
        match *self {}
    }

    /// Never called.
    pub fn last_lines(&self) -> Vec<String> {
        match *self {}
    }

    /// Never called.
    pub fn last_complaints(&self) -> Vec<String> {
        match *self {}
    }

    /// Never called.
    pub fn end(self, _: &str, _: Instant) -> Exit {
        match self {}
    }

    /// Never called.
    pub fn kill(self) -> (Exit, Vec<String>) {
        match self {}
    }
}
