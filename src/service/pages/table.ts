import { type Html, html } from './html.ts';

/** Tables. The roles remain where the narrow layout displays rows as blocks. */

export interface Table {
  /** CSS classes of this table. */
  className: string;
  /** For screen readers. */
  caption: string;
  columns: readonly Column[];
  rows: readonly Html[];
}

/** A label, `number` for right-aligned numbers, or `unseen` for a label that only screen readers get. */
type Column = string | { label: string; kind: 'number' | 'unseen' };

export function table({ className, caption, columns, rows }: Table): Html {
  return html`<table class="table ${className}" role="table">
    <caption class="unseen">
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(columnHeader)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows}
    </tbody>
  </table>`;
}

function columnHeader(column: Column): Html {
  if (typeof column === 'string') return html`<th role="columnheader" scope="col">${column}</th>`;
  const { label, kind } = column;
  return kind === 'number'
    ? html`<th role="columnheader" scope="col" class="number-cell">${label}</th>`
    : html`<th role="columnheader" scope="col"><span class="unseen">${label}</span></th>`;
}
