//! The placeholders in texts for agents: names in braces that stand for prices and limits.
use linepress_accounts::credits::pricing;
use linepress_core::books::MAX_PAGES;
use linepress_core::downloads::LINK_LIFETIME;
use linepress_http::following::MAX_WAIT;

/// The text with the server's prices and limits in place of their placeholders.
pub(super) fn fill_in(text: &str) -> String {
    pricing::fill_in(text)
        .replace("{link_minutes}", &(LINK_LIFETIME.as_secs() / 60).to_string())
        .replace("{max_wait_seconds}", &MAX_WAIT.as_secs().to_string())
        .replace("{max_pages}", &MAX_PAGES.to_string())
}

#[cfg(test)]
mod tests {
    use super::fill_in;

    #[test]
    fn placeholders_of_prices_and_limits_are_filled_in() {
        let filled = fill_in("{page_price}, {link_minutes}, {max_wait_seconds}, {max_pages}, {unknown}");
        assert_eq!(filled.matches('{').count(), 1, "{filled}");
    }
}
