//! Parameters that mean the same in all operations: ids in paths, and idempotency keys.
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ObjectBuilder, Required};

use linepress_accounts::idempotency::IdempotencyKey;
use linepress_platform::ids::{
    AccountId, AttemptId, BookId, CharacterId, CommentId, DeliveryId, KeyId, OperationId, PageId, ReviewLinkId,
    WebhookId,
};

macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident = $parameter:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl IntoParams for $name {
            fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
                vec![$parameter]
            }
        }
    )*};
}

parameters! {
    /// The character in a path.
    CharacterParameter = id("id", "character", CharacterId::PREFIX);
    /// The book in a path.
    BookParameter = id("id", "book", BookId::PREFIX);
    /// The page in a path.
    PageParameter = id("id", "page", PageId::PREFIX);
    /// The page in a path that begins with its book.
    BookPageParameter = id("page_id", "page", PageId::PREFIX);
    /// The attempt in a path that begins with its page, book or character.
    AttemptParameter = id("attempt_id", "attempt", AttemptId::PREFIX);
    /// The deleted book or page in a path.
    DeletedParameter = id("id", "deleted book or page", PageId::PREFIX);
    /// The operation in a path.
    OperationParameter = id("id", "operation", OperationId::PREFIX);
    /// The webhook in a path.
    WebhookParameter = id("id", "webhook", WebhookId::PREFIX);
    /// The delivery in a path that begins with its webhook.
    DeliveryParameter = id("delivery_id", "delivery", DeliveryId::PREFIX);
    /// The review link in a path.
    ReviewLinkParameter = id("id", "review link", ReviewLinkId::PREFIX);
    /// The comment in a path.
    CommentParameter = id("id", "comment", CommentId::PREFIX);
    /// The API key in a path.
    KeyParameter = id("id", "API key", KeyId::PREFIX);
    /// The account in a path.
    AccountParameter = id("id", "account", AccountId::PREFIX);
    /// The image provider in a path.
    ProviderParameter = plugin("The id of the image provider's plugin.");
    /// The plugin in a path.
    PluginParameter = plugin("The id of the plugin.");
    /// The idempotency key of an operation that charges credits.
    RequiredKey = idempotency_key(Required::True);
    /// The idempotency key of an operation that may charge nothing.
    OptionalKey = idempotency_key(Required::False);
}

fn id(name: &str, what: &str, prefix: &str) -> Parameter {
    // A plain string without a pattern: an id that does not exist is a 404.
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .examples([format!("{prefix}01KAFMYG00000000000000000A")]);
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(format!("The id of the {what}.")))
        .schema(Some(schema))
        .build()
}

fn plugin(description: &str) -> Parameter {
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .examples(["linepress.sketchbook"]);
    ParameterBuilder::new()
        .name("id")
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}

fn idempotency_key(required: Required) -> Parameter {
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(IdempotencyKey::MAX_KEY_CHARS))
        .pattern(Some("^[!-~]+$"))
        .examples(["6f1c2d0e-8f4b-4f0e-9a55-0c7f5b1f2a10"]);
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(required)
        .description(Some(
            "A new value for each generation, such as a UUID. A repeated request with the same key returns the \
             first response, and charges nothing.",
        ))
        .schema(Some(schema))
        .build()
}
