import { message, type SafeText } from '../text/message.ts';
import type { Interception, InterceptionKind } from './interception.ts';

/** Texts about a response of a product in front of a host. */

interface Words {
  /** The kind of response, to follow the name of the product. */
  is: string;
  advice: SafeText;
  /** For a request to the API of a service; absent if it is the same. */
  apiAdvice?: SafeText;
}

/** Meaning of a response of each kind, and advice. */
export const INTERCEPTIONS: Readonly<Record<InterceptionKind, Words>> = {
  'bot-protection': {
    is: 'challenges the client as a bot',
    advice: message`Exempt the registry’s files from bot protection: clients of a registry are programs, which cannot solve a challenge.`,
    apiAdvice: message`Exempt the API of the service from bot protection: its clients are programs, which cannot solve a challenge.`,
  },
  firewall: {
    is: 'blocks the request',
    advice: message`Change the firewall rule of the host that blocks the request; the number in the response identifies it there.`,
  },
  'origin-down': {
    is: 'cannot reach the server behind it',
    advice: message`Check that the server behind the CDN runs, accepts its connections, and has a valid certificate.`,
  },
  maintenance: {
    is: 'responds with a maintenance page',
    advice: message`Check again after the maintenance; serve the registry’s files during maintenance too, since they are static.`,
    apiAdvice: message`Run the command again after the maintenance.`,
  },
  'no-site': {
    is: 'has no site for this domain',
    advice: message`Connect the domain to the site in the settings of the host, publish the site, or correct the host name in the URL.`,
  },
  parked: {
    is: 'responds for this domain',
    advice: message`Check the host name for typos, and that the domain is still registered and points to the host of the registry.`,
    apiAdvice: message`Check the host name for typos, and that the domain is still registered and points to the service.`,
  },
  portal: {
    is: 'of this network responds instead of the host',
    advice: message`Sign in to that network, ask its operator to allow the host, or run the check from another network.`,
    apiAdvice: message`Sign in to that network, ask its operator to allow the host, or run the command from another network.`,
  },
};

/** `Cloudflare challenges the client as a bot`: to follow a clause about the host. */
export function interceptionText({ product, kind }: Interception): string {
  const subject = product === 'The host' ? 'it' : product.replace(/^A /, 'a ');
  return `${subject} ${INTERCEPTIONS[kind].is}`;
}

/** Advice about such a response to a request to the API of a service. */
export function interceptionApiAdvice({ kind }: Interception): SafeText {
  const { advice, apiAdvice = advice } = INTERCEPTIONS[kind];
  return apiAdvice;
}
