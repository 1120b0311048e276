/** URLs of the project's documentation. */

/** The project's page. */
export const HOMEPAGE = 'https://github.com/appreg/appreg';

/** The folder of its documentation. */
export const DOCS = `${HOMEPAGE}/blob/main/docs`;

/** The section of docs/rules.md about a rule. */
export function ruleUrl(id: string): string {
  return `${DOCS}/rules.md#${id}`;
}
