export type PageStatus = 200 | 400 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 501 | 503;

/** A page that is shown in place of a requested one. */
export interface ErrorPage {
  status: PageStatus;
  title: string;
  text: string;
}

export const SUSPENDED: ErrorPage = {
  status: 403,
  title: 'The organization is suspended',
  text: 'The operator of this service has suspended the organization. Ask the operator to resume it.',
};

/** Ends a request with an error page. */
export class PageError extends Error {
  readonly page: ErrorPage;

  constructor(page: ErrorPage) {
    super(page.title);
    this.page = page;
  }
}

/** The value if it exists. The response does not reveal whether another organization has it. */
export function orNotFound<Value>(value: Value | null, what: string): Value {
  if (value !== null) return value;
  const text = `The ${what} does not exist, or it belongs to another organization.`;
  throw new PageError({ status: 404, title: 'Not found', text });
}
