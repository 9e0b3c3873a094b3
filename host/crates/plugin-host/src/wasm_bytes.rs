//! Components for tests, assembled byte by byte, because no compiler would produce them.

/// Builds a component that contains these core modules and exports an empty instance.
pub(crate) fn component(modules: &[Vec<u8>], export: &str) -> Vec<u8> {
    let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
    for module in modules {
        bytes.extend(section(1, module));
    }
    bytes.extend(section(5, &[1, 1, 0]));
    let mut exported = vec![1, 0];
    exported.extend(number(export.len()));
    exported.extend(export.as_bytes());
    exported.extend([5, 0, 0]);
    bytes.extend(section(11, &exported));
    bytes
}

/// Wraps a component in the given number of outer components.
pub(crate) fn nested(component: &[u8], levels: usize) -> Vec<u8> {
    (0..levels).fold(component.to_vec(), |inner, _| {
        let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
        bytes.extend(section(4, &inner));
        bytes
    })
}

/// Builds a core module with these functions, which have no parameters and no results.
pub(crate) fn module(functions: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    bytes.extend(section(1, &[1, 0x60, 0, 0]));
    let mut types = number(functions.len());
    types.resize(types.len() + functions.len(), 0);
    bytes.extend(section(3, &types));
    let mut bodies = number(functions.len());
    bodies.extend(functions.concat());
    bytes.extend(section(10, &bodies));
    bytes
}

/// Builds a function with the given number of local variables and `nop` instructions.
pub(crate) fn function(locals: usize, nops: usize) -> Vec<u8> {
    let mut body = match locals {
        0 => vec![0],
        locals => [vec![1], number(locals), vec![0x7f]].concat(),
    };
    body.resize(body.len() + nops, 1);
    body.push(0x0b);
    [number(body.len()), body].concat()
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [vec![id], number(content.len()), content.to_vec()].concat()
}

/// Encodes a number as LEB128.
fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}
