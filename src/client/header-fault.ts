import type { Auth } from '../base/contract/auth-names.ts';

/** A token (RFC 9110 section 5.6.2). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What a request or a connection needs (RFC 9110 sections 7.2, 7.6, 8 and 10.1), and what a trace writes (W3C Trace Context). */
const OWN =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|accept|accept-encoding|x-request-id|traceparent|tracestate|content-.*|proxy-.*)$/;

/** Why a header cannot be added to all requests; undefined if it can. */
export function headerFault(name: string, auth: Auth): string | undefined {
  if (!NAME.test(name)) return 'is not the name of a header';
  const lower = name.toLowerCase();
  if (OWN.test(lower)) return 'is a header that rowcast writes itself, or that belongs to the connection';
  if (lower === 'authorization' && auth !== 'none')
    return 'is the header of the key; --auth none sends requests without a key';
  return undefined;
}

/** Whether a header can have this value (RFC 9110 section 5.5), which is neither empty nor begins or ends with a space. */
export const isHeaderValue = (text: string): boolean => /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(text);
