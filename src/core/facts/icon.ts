import type { Missing } from './missing.ts';
import type { Content, Resource } from './resource.ts';

export interface IconFacts extends Resource {
  content: Content | Missing;
  image: ImageFacts | Missing;
}

export interface ImageFacts {
  /** By content, not by name: png, svg, jpeg, gif, webp, ico, avif, html, xml, empty, unknown, … */
  kind: string;
  width: number | null;
  height: number | null;
  /** What keeps it from being a complete image of its kind (a truncated PNG, a bad CRC, malformed XML), or null. */
  fault: { code: string; message: string } | null;
  /** SVG only: active or external content in it. `line` is 1-based. */
  active: {
    /** @asType string */
    code:
      | 'script'
      | 'event-handler'
      | 'javascript-url'
      | 'foreign-reference'
      | 'foreign-object'
      | 'doctype'
      /** A DOCTYPE whose entities are only URLs: the namespaces that drawing programs declare there. */
      | 'namespace-entities';
    name: string;
    line: number | null;
  }[];
}
