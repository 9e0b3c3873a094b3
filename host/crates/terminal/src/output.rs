//! The output of all commands. Its reader may close it early, as `head` does: a command then continues without output,
//! and its exit code says whether it succeeded.
use std::fmt;
use std::io::{self, Write};

/// Prints a line to standard output. Unlike `println!`, it does not panic when the reader has closed it.
#[macro_export]
macro_rules! print_line {
    ($($text:tt)*) => {
        $crate::print(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Prints a line to standard error. Unlike `eprintln!`, it does not panic when the reader has closed it.
#[macro_export]
macro_rules! print_error_line {
    ($($text:tt)*) => {
        $crate::print_error(format_args!($($text)*))
    };
}

/// Prints to standard output. Any error but a closed reader ends the program, because a result, such as a new key,
/// would be lost.
pub fn print(text: fmt::Arguments<'_>) {
    match io::stdout().write_fmt(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            print_error(format_args!("linepress: standard output cannot be written: {error}"));
            std::process::exit(1);
        }
        _ => {}
    }
}

/// Prints a line to standard error. There is no other place to report its own error to.
pub fn print_error(text: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{text}");
}
