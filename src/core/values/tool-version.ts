/** The version in reports; a test checks that it equals package.json. */
export const VERSION = '0.1.0';
