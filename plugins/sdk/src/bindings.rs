//! Bindings for the contracts in `wit/v0` and `wit/v1`. The packages that all worlds share are generated once, so that
//! their types are the same in every world.

pub(crate) mod shared {
    wit_bindgen::generate!({
        inline: "
            package linepress:sdk@0.1.0;
            world shared {
                import linepress:types/types@0.1.0;
                import linepress:host/log@0.1.0;
                import linepress:host/config@0.1.0;
                import linepress:host/progress@0.1.0;
                import linepress:host/store@0.1.0;
                import linepress:host/cache@0.1.0;
            }
        ",
        path: ["../../wit/v0/types", "../../wit/v0/host"],
        world: "linepress:sdk/shared",
        // No function of this world uses the records, but functions of the other worlds do.
        generate_unused_types: true,
        generate_all,
    });
}

pub(crate) mod image {
    wit_bindgen::generate!({
        path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v0/image"],
        world: "linepress:image/image-provider@0.1.0",
        pub_export_macro: true,
        default_bindings_module: "linepress_plugin_sdk::image",
        with: {
            "linepress:types/types@0.1.0": crate::bindings::shared::linepress::types::types,
            "linepress:host/log@0.1.0": crate::bindings::shared::linepress::host::log,
            "linepress:host/config@0.1.0": crate::bindings::shared::linepress::host::config,
            "linepress:host/progress@0.1.0": crate::bindings::shared::linepress::host::progress,
        },
        generate_all,
    });
}

pub(crate) mod vocabulary {
    wit_bindgen::generate!({
        path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v0/image"],
        world: "linepress:image/image-vocabulary@0.1.0",
        pub_export_macro: true,
        default_bindings_module: "linepress_plugin_sdk::vocabulary",
        with: {
            "linepress:types/types@0.1.0": crate::bindings::shared::linepress::types::types,
            "linepress:host/log@0.1.0": crate::bindings::shared::linepress::host::log,
            "linepress:host/config@0.1.0": crate::bindings::shared::linepress::host::config,
        },
        generate_all,
    });
}

pub(crate) mod planner {
    wit_bindgen::generate!({
        path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v0/planner"],
        world: "linepress:planner/book-planner@0.1.0",
        pub_export_macro: true,
        default_bindings_module: "linepress_plugin_sdk::planner",
        with: {
            "linepress:types/types@0.1.0": crate::bindings::shared::linepress::types::types,
            "linepress:host/log@0.1.0": crate::bindings::shared::linepress::host::log,
            "linepress:host/config@0.1.0": crate::bindings::shared::linepress::host::config,
            "linepress:host/progress@0.1.0": crate::bindings::shared::linepress::host::progress,
        },
        generate_all,
    });
}

pub(crate) mod reviewer {
    wit_bindgen::generate!({
        path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v0/review"],
        world: "linepress:review/reviewer@0.1.0",
        pub_export_macro: true,
        default_bindings_module: "linepress_plugin_sdk::reviewer",
        with: {
            "linepress:types/types@0.1.0": crate::bindings::shared::linepress::types::types,
            "linepress:host/log@0.1.0": crate::bindings::shared::linepress::host::log,
            "linepress:host/config@0.1.0": crate::bindings::shared::linepress::host::config,
            "linepress:host/progress@0.1.0": crate::bindings::shared::linepress::host::progress,
        },
        generate_all,
    });
}

pub(crate) mod layout {
    wit_bindgen::generate!({
        path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v0/layout"],
        world: "linepress:layout/book-layout@0.1.0",
        pub_export_macro: true,
        default_bindings_module: "linepress_plugin_sdk::layout",
        with: {
            "linepress:types/types@0.1.0": crate::bindings::shared::linepress::types::types,
            "linepress:host/log@0.1.0": crate::bindings::shared::linepress::host::log,
        },
        generate_all,
    });
}

/// Bindings for the packages in `wit/v1`. Their worlds have names of their own here, because the export macros are
/// named after the worlds.
pub(crate) mod v1 {
    pub(crate) mod image {
        wit_bindgen::generate!({
            inline: "
                package linepress:sdk-image@1.0.0;
                world image-provider-v1 {
                    include linepress:image/image-provider@1.0.0;
                }
            ",
            path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v1/image"],
            world: "linepress:sdk-image/image-provider-v1",
            pub_export_macro: true,
            default_bindings_module: "linepress_plugin_sdk::v1::image",
            with: {
                "linepress:types/types@0.1.0": crate::bindings::shared::linepress::types::types,
                "linepress:host/log@0.1.0": crate::bindings::shared::linepress::host::log,
                "linepress:host/config@0.1.0": crate::bindings::shared::linepress::host::config,
                "linepress:host/progress@0.1.0": crate::bindings::shared::linepress::host::progress,
            },
            generate_all,
        });
    }

    pub(crate) mod vocabulary {
        wit_bindgen::generate!({
            inline: "
                package linepress:sdk-vocabulary@1.0.0;
                world image-vocabulary-v1 {
                    include linepress:image/image-vocabulary@1.0.0;
                }
            ",
            path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v1/image"],
            world: "linepress:sdk-vocabulary/image-vocabulary-v1",
            pub_export_macro: true,
            default_bindings_module: "linepress_plugin_sdk::v1::vocabulary",
            with: {
                "linepress:types/types@0.1.0": crate::bindings::shared::linepress::types::types,
                "linepress:host/log@0.1.0": crate::bindings::shared::linepress::host::log,
                "linepress:host/config@0.1.0": crate::bindings::shared::linepress::host::config,
            },
            generate_all,
        });
    }

    pub(crate) mod reviewer {
        wit_bindgen::generate!({
            inline: "
                package linepress:sdk-reviewer@1.0.0;
                world reviewer-v1 {
                    include linepress:review/reviewer@1.0.0;
                }
            ",
            path: ["../../wit/v0/types", "../../wit/v0/host", "../../wit/v1/review"],
            world: "linepress:sdk-reviewer/reviewer-v1",
            pub_export_macro: true,
            default_bindings_module: "linepress_plugin_sdk::v1::reviewer",
            with: {
                "linepress:types/types@0.1.0": crate::bindings::shared::linepress::types::types,
                "linepress:host/log@0.1.0": crate::bindings::shared::linepress::host::log,
                "linepress:host/config@0.1.0": crate::bindings::shared::linepress::host::config,
                "linepress:host/progress@0.1.0": crate::bindings::shared::linepress::host::progress,
            },
            generate_all,
        });
    }
}
