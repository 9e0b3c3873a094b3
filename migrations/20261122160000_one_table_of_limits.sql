-- Book plans of an account are limited in time as all else that is: in throttles. What this forgets is a minute old at most.
DROP TABLE rate_limits;
