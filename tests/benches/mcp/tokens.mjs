// Prints how many tokens of o200k_base the text on standard input has.

import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

console.log(encode(readFileSync(0, 'utf8')).length);
