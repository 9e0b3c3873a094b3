-- What the image provider says about a drawing: one line for the customer.
ALTER TABLE drawings ADD COLUMN note TEXT;
