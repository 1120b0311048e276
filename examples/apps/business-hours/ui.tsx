/** @jsxRuntime classic */
/** @jsx h */
import './ui.css';
import type { Week } from './calendar.ts';

type Child = Node | string;

function h(tag: string, attributes: Record<string, string> | null, ...children: Child[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
  element.append(...children.flat());
  return element;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

/** A table of the week, for the settings page of the app. */
export function WeekTable({ week }: { week: Week }): HTMLElement {
  return (
    <table class="business-hours">
      {week.map((hours, day) => (
        <tr>
          <th scope="row">{DAYS[day]!}</th>
          <td>{hours === null ? 'free' : `${clock(hours[0])} – ${clock(hours[1])}`}</td>
        </tr>
      ))}
    </table>
  );
}
