//! Enums whose variants have one text each, declared once: a variant has the same name in the database, in JSON and in
//! the OpenAPI document.
use std::fmt;

/// Declares an enum whose variants have one text each.
///
/// ```ignore
/// linepress_model::text_enum! {
///     /// The hand that holds the pencil.
///     #[derive(Default)]
///     pub enum Hands {
///         #[default]
///         Left = "left",
///         Right = "right",
///     }
/// }
/// assert_eq!(Hands::ALL, [Hands::Left, Hands::Right]);
/// assert_eq!(Hands::Right.as_str(), "right");
/// assert_eq!(Hands::parse("left"), Some(Hands::Left));
/// assert_eq!("both".parse::<Hands>().unwrap_err().to_string(), "\"both\" is not a valid Hands");
/// ```
///
/// The text is used by serde, `utoipa`, `Display`, `FromStr` and `TryFrom<String>`; the last is for rows with
/// `#[sqlx(try_from = "String")]`. Comments and attributes of the enum and its variants are preserved. `ALL`, `as_str`
/// and `parse` have the visibility of the enum.
///
/// The calling crate must depend on `serde` and `utoipa`, because the code that their derives generate refers to them
/// by these names.
#[macro_export]
macro_rules! text_enum {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident {
            // Texts are token trees, not literals: a literal reaches a derive inside a group, where utoipa does not
            // see the rename.
            $( $(#[$variant_attribute:meta])* $variant:ident = $text:tt ),+ $(,)?
        }
    ) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize, ::utoipa::ToSchema,
        )]
        $(#[$attribute])*
        $visibility enum $name {
            $(
                $(#[$variant_attribute])*
                #[serde(rename = $text)]
                $variant,
            )+
        }

        impl $name {
            /// Every variant, in the order of the declaration.
            $visibility const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in JSON and in the database.
            $visibility const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// The variant of this name, None for an unknown name.
            $visibility fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownText;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                Self::parse(text).ok_or_else(|| $crate::UnknownText {
                    what: stringify!($name),
                    text: text.to_owned(),
                })
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::UnknownText;

            fn try_from(text: String) -> ::std::result::Result<Self, Self::Error> {
                text.parse()
            }
        }
    };
}

/// The error for a text that names no variant of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownText {
    /// The name of the enum.
    pub what: &'static str,
    pub text: String,
}

impl fmt::Display for UnknownText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} is not a valid {}", self.text, self.what)
    }
}

impl std::error::Error for UnknownText {}

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema as _;

    use super::UnknownText;

    crate::text_enum! {
        /// The side of a sheet.
        #[derive(Default)]
        enum Side {
            /// On the right.
            #[default]
            Recto = "recto",
            OnTheLeft = "on-the-left",
        }
    }

    #[test]
    fn every_variant_has_one_text_everywhere() {
        assert_eq!(Side::ALL, [Side::Recto, Side::OnTheLeft]);
        for &side in Side::ALL {
            let text = side.as_str();
            assert_eq!(Side::parse(text), Some(side));
            assert_eq!(text.parse(), Ok(side));
            assert_eq!(Side::try_from(text.to_owned()), Ok(side));
            assert_eq!(side.to_string(), text);
            assert_eq!(serde_json::to_value(side).unwrap(), text);
            assert_eq!(serde_json::from_value::<Side>(text.into()).unwrap(), side);
        }
        assert_eq!(Side::default(), Side::Recto);
        assert_eq!(format!("{:>6}", Side::Recto), " recto");
    }

    #[test]
    fn an_unknown_text_is_an_error_that_names_it() {
        assert_eq!(Side::parse("Recto"), None);
        let error: UnknownText = "verso".parse::<Side>().unwrap_err();
        assert_eq!(error.to_string(), "\"verso\" is not a valid Side");
        assert!(serde_json::from_str::<Side>("\"OnTheLeft\"").is_err());
    }

    #[test]
    fn the_schema_lists_the_texts() {
        let schema = serde_json::to_value(Side::schema()).unwrap();
        let expected = serde_json::json!({
            "type": "string",
            "description": "The side of a sheet.",
            "enum": ["recto", "on-the-left"],
        });
        assert_eq!(schema, expected);
    }
}
