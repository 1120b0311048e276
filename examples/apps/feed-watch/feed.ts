export interface FeedItem {
  id: string;
  title: string;
  link: string;
  published: string | null;
}

/** The items of an RSS 2.0 or Atom feed, newest first as the feed has them. */
export function parseFeed(xml: string): FeedItem[] {
  const items = xml.match(/<(item|entry)\b[\s\S]*?<\/\1>/g) ?? [];
  return items.map((item) => {
    const link = text(item, 'link') || (/<link\b[^>]*href="([^"]*)"/.exec(item)?.[1] ?? '');
    return {
      id: text(item, 'guid') || text(item, 'id') || link,
      title: text(item, 'title'),
      link,
      published: text(item, 'pubDate') || text(item, 'published') || null,
    };
  });
}

/** The items whose id is not in `seen`. */
export function newItems(items: readonly FeedItem[], seen: ReadonlySet<string>): FeedItem[] {
  return items.filter((item) => item.id !== '' && !seen.has(item.id));
}

function text(xml: string, tag: string): string {
  const inner = new RegExp(`<${tag}\\b[^>]*>([\\s\\S]*?)</${tag}>`).exec(xml)?.[1] ?? '';
  return inner
    .replace(/^\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*$/, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trim();
}
