import { shellWord } from '../core/text/shell-word.ts';
import { copyable, copyButton } from '../html/copy.ts';
import { html, type Html, sanitized } from '../html/html.ts';
import type { SiteRegistry } from './registry.ts';

/** How an organization subscribes to the registry: in the settings of the service, or on the command line. */
export function subscribeSection({ url, title }: SiteRegistry): Html {
  const words = [
    'appreg subscribe',
    shellWord(sanitized(url, 2000)),
    '--service <url-of-the-service>',
    `--name ${shellWord(sanitized(title, 60))}`,
  ];
  return html`<section aria-labelledby="subscribe-title">
    <h2 id="subscribe-title">Subscribe</h2>
    <div class="panel">
      <p>
        An organization that subscribes to this registry can install its apps, and gets new versions within an hour.
      </p>
      <ol class="steps">
        <li>In the service, open Settings, then App Registries, and choose Subscribe to Registry.</li>
        <li>
          <span>Enter the URL of the registry, and a name for it:</span>
          ${copyable(url, 'URL of the registry')}
        </li>
        <li>Choose Subscribe.</li>
      </ol>
      <details>
        <summary>With the command line</summary>
        <p class="command">
          <code dir="ltr">${words.map((word) => html`<span>${word}</span> `)}</code
          >${copyButton(words.join(' '), 'command')}
        </p>
      </details>
    </div>
  </section>`;
}
