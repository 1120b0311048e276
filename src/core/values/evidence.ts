export type Evidence = Record<string, string | number | boolean | null | readonly string[]>;
