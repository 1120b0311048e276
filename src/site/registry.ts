/** The registry that a site shows. */
export interface SiteRegistry {
  /** The URL of its manifest, without secrets. */
  url: string;
  /** As the pages name it. */
  title: string;
  /** The address that the site is served at, with a trailing slash; null if it is not known. */
  base: string | null;
}
