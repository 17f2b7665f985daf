// @ts-check
/** Words that come with the view that says them. */

import { add } from "../index.js";
import { en } from "./en.js";
import { he } from "./he.js";

add({ en, he });
