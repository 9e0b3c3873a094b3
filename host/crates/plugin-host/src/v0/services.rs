//! Bindings of the host's optional interfaces `linepress:host/store@0.1` and `linepress:host/cache@0.1`.

/// The store, whose functions wait for a database.
pub(crate) mod store {
    wasmtime::component::bindgen!({
        path: ["../../../wit/v0/types", "../../../wit/v0/host"],
        inline: "
            package linepress:optional-store;
            world optional-store {
                import linepress:host/store@0.1.0;
            }
        ",
        imports: { default: async },
    });
}

/// The cache, which is in memory.
pub(crate) mod cache {
    wasmtime::component::bindgen!({
        path: ["../../../wit/v0/types", "../../../wit/v0/host"],
        inline: "
            package linepress:optional-cache;
            world optional-cache {
                import linepress:host/cache@0.1.0;
            }
        ",
    });
}
