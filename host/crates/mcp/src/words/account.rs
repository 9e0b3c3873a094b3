//! The account, and what its app may do.
use super::{credits, joined};
use crate::results::account::GrantUse;
use linepress_core::me::AccountResource;

pub(crate) fn account(account: &AccountResource, grant: Option<&GrantUse>) -> String {
    let capabilities = &account.capabilities;
    let mut lines = vec![format!(
        "{} on the {} plan has {}. Print formats: {}.",
        account.email,
        account.plan.name,
        credits(account.credits.available),
        joined(&capabilities.print_formats),
    )];
    lines.extend(grant.map(permissions));
    for (is_available, what) in [
        (capabilities.generate, "Drawing"),
        (capabilities.plan, "Planning"),
        (capabilities.pdf, "Printing"),
    ] {
        if !is_available {
            lines.push(format!("{what} is not available on this server at the moment."));
        }
    }
    let limits = account.limits.iter().map(|(name, limit)| match limit.used {
        Some(used) => format!("{name} {used} of {}", limit.limit),
        None => format!("{name} {}", limit.limit),
    });
    lines.push(format!("Limits: {}.", joined(limits)));
    lines.join("\n")
}

/// The credits that the calling app may spend, and its scopes.
fn permissions(grant: &GrantUse) -> String {
    let spending = match (grant.may_spend, grant.credits_left, grant.credit_cap) {
        (false, ..) => "may spend no credits, because the user did not grant that".to_owned(),
        (true, Some(left), Some(cap)) => format!("may spend {} more of the {cap} that the user allowed", credits(left)),
        (true, ..) => "may spend all credits of the account".to_owned(),
    };
    format!(
        "This app {spending}. Its granted scopes: {}.",
        joined(grant.scopes.iter())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use linepress_platform::scopes::Scopes;

    #[test]
    fn an_app_learns_how_much_it_may_spend() {
        let spending = |scopes, credit_cap: Option<i64>| {
            let left = credit_cap.map(|cap| cap - 5);
            permissions(&GrantUse {
                scopes,
                may_spend: scopes == Scopes::ALL,
                credit_cap,
                credits_spent: 5,
                credits_left: left,
            })
        };
        assert_eq!(
            spending(Scopes::ALL, Some(6)),
            "This app may spend 1 credit more of the 6 that the user allowed. Its granted scopes: books:read, books:write, credits:spend."
        );
        let all = spending(Scopes::ALL, None);
        assert!(
            all.starts_with("This app may spend all credits of the account."),
            "{all}"
        );
        assert_eq!(
            spending(Scopes::WRITING, Some(6)),
            "This app may spend no credits, because the user did not grant that. Its granted scopes: books:write."
        );
    }
}
