//! Stub for systems without Unix pipes: no engine can be started; everything else works.

use std::{io, path::Path, time::Instant};

use super::{ProcessExit, ReadError};
use crate::runs::halt::Halt;

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
    pub fn lower_priority(&self) {
        match *self {}
    }

    /// Never called.
    pub fn send(&mut self, _: &str) {
        match *self {}
    }

    /// Never called.
    pub fn read_line(&mut self, _: Instant) -> Result<String, ReadError> {
        match *self {}
    }

    /// Never called.
    pub fn discard_output(&mut self) {
        match *self {}
    }

    /// Never called.
    pub fn transcript_tail(&self) -> Vec<String> {
        match *self {}
    }

    /// Never called.
    pub fn stderr_tail(&self) -> Vec<String> {
        match *self {}
    }

    /// Never called.
    pub fn shut_down(self, _: &str, _: Instant) -> ProcessExit {
        match self {}
    }

    /// Never called.
    pub fn kill(self) -> (ProcessExit, Vec<String>) {
        match self {}
    }
}
