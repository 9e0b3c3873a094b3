//! Inspection of a component without compiling it: its imports and exports, and the amount of code to compile.
//!
//! Parsing takes no more memory than the file. The component is validated later, by the compiler.
use wasmparser::{ComponentExternName, Encoding, FunctionBody, Parser, Payload};

/// Maximum nesting depth of modules and components. Compilers produce two or three levels.
const MAX_DEPTH: u32 = 8;
/// Maximum number of functions. Python with its shared libraries has about 20,000, and a JavaScript engine about as
/// many.
const MAX_FUNCTIONS: u64 = 100_000;
/// Maximum number of entries in all sections together: types, functions, imports, exports, constants, data segments.
const MAX_ITEMS: u64 = 500_000;
/// Maximum size of one function. The largest function of an interpreter has about 200 KiB.
const MAX_FUNCTION_BYTES: u64 = 1 << 20;
/// Maximum size of all functions together.
const MAX_CODE_BYTES: u64 = 48 << 20;
/// Maximum number of local variables of one function. Compilers produce some hundreds.
const MAX_LOCALS: u64 = 10_000;
/// Maximum product of a function's local variables and its size, which determines the compiler's time and memory: a
/// function of 200 KiB may have about 1,000 locals, and one of 20 KiB the full 10,000.
const MAX_LOCALS_TIMES_BYTES: u64 = 200 << 20;

/// The names of a component's imports and exports.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Surface<'a> {
    pub(crate) imports: Vec<&'a str>,
    pub(crate) exports: Vec<&'a str>,
}

/// Reads the component's imports and exports. Returns an error if the component is broken, or exceeds a limit for
/// compiling.
pub(crate) fn inspect(wasm: &[u8]) -> Result<Surface<'_>, String> {
    let mut inspection = Inspection::default();
    for payload in Parser::new(0).parse_all(wasm) {
        inspection.visit(payload.map_err(broken)?)?;
    }
    Ok(inspection.surface)
}

fn broken(error: wasmparser::BinaryReaderError) -> String {
    format!("its component is broken: {error}")
}

#[derive(Default)]
struct Inspection<'a> {
    surface: Surface<'a>,
    depth: u32,
    functions: u64,
    items: u64,
    code_bytes: u64,
}

impl<'a> Inspection<'a> {
    fn visit(&mut self, payload: Payload<'a>) -> Result<(), String> {
        match payload {
            Payload::Version { encoding, .. } if self.depth == 0 && encoding != Encoding::Component => {
                return Err(
                    "its wasm file is a core module and not a component: build it for the target wasm32-wasip2".into(),
                );
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                self.depth += 1;
                at_most(
                    "levels of modules within components",
                    self.depth.into(),
                    MAX_DEPTH.into(),
                )?;
                return self.count(1);
            }
            Payload::End(_) => self.depth = self.depth.saturating_sub(1),
            Payload::FunctionSection(ref functions) => {
                self.functions += u64::from(functions.count());
                at_most("functions", self.functions, MAX_FUNCTIONS)?;
            }
            Payload::CodeSectionEntry(function) => return self.function(&function),
            Payload::ComponentImportSection(ref imports) if self.depth == 0 => {
                self.count(imports.count())?;
                for import in imports.clone() {
                    self.surface.imports.push(name(&import.map_err(broken)?.name));
                }
                return Ok(());
            }
            Payload::ComponentExportSection(ref exports) if self.depth == 0 => {
                self.count(exports.count())?;
                for export in exports.clone() {
                    self.surface.exports.push(name(&export.map_err(broken)?.name));
                }
                return Ok(());
            }
            _ => {}
        }
        self.count(items(&payload))
    }

    fn count(&mut self, items: u32) -> Result<(), String> {
        self.items += u64::from(items);
        at_most(
            "types, functions, imports, exports and constants",
            self.items,
            MAX_ITEMS,
        )
    }

    fn function(&mut self, function: &FunctionBody<'_>) -> Result<(), String> {
        let bytes = function.as_bytes().len() as u64;
        at_most("bytes in one function", bytes, MAX_FUNCTION_BYTES)?;
        self.code_bytes += bytes;
        at_most("bytes in all functions", self.code_bytes, MAX_CODE_BYTES)?;
        let mut locals = 0;
        for group in function.get_locals_reader().map_err(broken)? {
            locals += u64::from(group.map_err(broken)?.0);
        }
        at_most("local variables in one function", locals, MAX_LOCALS)?;
        at_most(
            "local variables times bytes in one function",
            locals.saturating_mul(bytes),
            MAX_LOCALS_TIMES_BYTES,
        )
    }
}

fn name<'a>(name: &ComponentExternName<'a>) -> &'a str {
    name.name
}

fn at_most(what: &str, found: u64, limit: u64) -> Result<(), String> {
    if found > limit {
        return Err(format!(
            "its component has {found} {what}, but at most {limit} are allowed: make it smaller"
        ));
    }
    Ok(())
}

/// The number of entries of a section.
fn items(payload: &Payload<'_>) -> u32 {
    match payload {
        Payload::TypeSection(section) => section.count(),
        Payload::ImportSection(section) => section.count(),
        Payload::FunctionSection(section) => section.count(),
        Payload::TableSection(section) => section.count(),
        Payload::MemorySection(section) => section.count(),
        Payload::TagSection(section) => section.count(),
        Payload::GlobalSection(section) => section.count(),
        Payload::ExportSection(section) => section.count(),
        Payload::ElementSection(section) => section.count(),
        Payload::DataSection(section) => section.count(),
        Payload::InstanceSection(section) => section.count(),
        Payload::CoreTypeSection(section) => section.count(),
        Payload::ComponentInstanceSection(section) => section.count(),
        Payload::ComponentAliasSection(section) => section.count(),
        Payload::ComponentTypeSection(section) => section.count(),
        Payload::ComponentCanonicalSection(section) => section.count(),
        Payload::ComponentImportSection(section) => section.count(),
        Payload::ComponentExportSection(section) => section.count(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wasm_bytes::{component, function, module, nested};

    fn refusal(wasm: &[u8]) -> String {
        inspect(wasm).unwrap_err()
    }

    #[test]
    fn imports_and_exports_of_nested_components_are_ignored() {
        let inner = component(&[], "acme:inner/secret@1.0.0");
        let outer = component(&[module(&[function(3, 10)])], "linepress:layout/layout@0.1.0");
        let surface = inspect(&outer).unwrap();
        assert_eq!(surface.exports, ["linepress:layout/layout@0.1.0"]);
        assert_eq!(surface.imports, [""; 0]);
        assert_eq!(inspect(&nested(&inner, 3)).unwrap(), Surface::default());
    }

    #[test]
    fn a_component_that_takes_too_long_to_compile_is_refused() {
        let one = |locals, bytes| component(&[module(&[function(locals, bytes)])], "a:b/c");
        assert!(inspect(&one(10_000, 10)).is_ok());
        assert!(refusal(&one(10_001, 10)).contains("10001 local variables in one function, but at most 10000"));
        assert!(refusal(&one(10_000, 300_000)).contains("local variables times bytes"));
        assert!(refusal(&one(0, (1 << 20) + 1)).contains("bytes in one function"));
        let tiny = vec![function(0, 0); 60_000];
        let many = component(&[module(&tiny), module(&tiny)], "a:b/c");
        assert!(refusal(&many).contains("120000 functions, but at most 100000"));
    }

    #[test]
    fn a_file_that_is_nested_too_deep_or_is_not_a_component_is_refused() {
        let inner = component(&[], "a:b/c");
        assert!(inspect(&nested(&inner, 8)).is_ok());
        assert!(refusal(&nested(&inner, 9)).contains("9 levels"));
        assert!(refusal(&module(&[])).contains("core module"));
        assert!(refusal(b"\0asm").contains("broken"));
        assert!(refusal(&inner[..inner.len() - 3]).contains("broken"));
    }
}
