//! classic-layout: title page, "this book belongs to", one drawing a sheet with a blank back, colophon.
