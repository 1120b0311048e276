declare module 'js-yaml' {
  /** The state of the parser when it begins and ends a node. */
  export interface ParserState {
    position: number;
    result: unknown;
  }
  export interface Schema {
    extend(definition: { implicit: readonly unknown[] }): Schema;
  }
  export const CORE_SCHEMA: Schema;
  export const types: { merge: unknown };
  export function load(
    text: string,
    options?: { listener?: (event: 'open' | 'close', state: ParserState) => void; schema?: Schema },
  ): unknown;
  export class YAMLException extends Error {
    reason: string;
    mark?: { line: number; column: number };
  }
}
