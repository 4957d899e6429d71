import { needed } from './rule';
import { HIDDEN_TEXT } from './values';

/** URL of a server. No message shows it, since it may hold a login by mistake. */
export const SERVER_URL = needed(HIDDEN_TEXT, 'https://absent.invalid');
