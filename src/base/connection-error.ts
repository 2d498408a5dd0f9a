/** A connection error that retrying cannot fix. */
export interface PermanentError {
  code: string;
  message: string;
  hint: string;
}

/** Who is at the other end of a connection, in the words of messages and hints. */
export interface Peer {
  name: string;
  /** What has its address. */
  address: string;
  /** What to do about a certificate of an authority that is not trusted. */
  trust: string;
  /** What to do if it wants a certificate of the client. */
  ownCertificate: string;
}

/** Error codes of certificate verification in OpenSSL (`X509_V_ERR_…`) and Node (`ERR_TLS_CERT_…`). */
const CERTIFICATE =
  /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_(GET|DECRYPT|VERIFY|DECODE)_|DEPTH_ZERO_|SELF_SIGNED_|CRL_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)/;

/** The certificate may be valid, but for another host name. */
const OTHER_HOST = /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;

/** What a TLS client reports when the server responds in plain HTTP. */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;

/**
 * The alerts that a TLS client gets if its certificate is missing, expired or from an unknown authority. Newer
 * versions of OpenSSL have the name `SSL/TLS` where older ones have `SSLV3`.
 */
const REFUSED_CERTIFICATE =
  /^ERR_SSL_(SSL\/TLS|SSLV3|TLSV1|TLSV13)_ALERT_(HANDSHAKE_FAILURE|BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA)$/;

/** Whether a server said so before it closed the connection, which undici then reports instead. */
export const isRefusedCertificate = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  REFUSED_CERTIFICATE.test(code);

/** Why a connection cannot be made, in one word; undefined for an error that may pass. */
export function faultOf({
  code = '',
}: NodeJS.ErrnoException): 'no TLS' | 'other host' | 'untrusted' | 'refused' | 'no host' | undefined {
  if (NOT_TLS.test(code)) return 'no TLS';
  if (OTHER_HOST.test(code)) return 'other host';
  if (CERTIFICATE.test(code)) return 'untrusted';
  if (REFUSED_CERTIFICATE.test(code)) return 'refused';
  return code === 'ENOTFOUND' ? 'no host' : undefined;
}

/**
 * Recognizes errors of a connection that retrying cannot fix.
 *
 * @param wasReached whether a connection was ever made; if so, an unknown host name is a temporary DNS failure
 */
export function permanentErrorOf(
  cause: NodeJS.ErrnoException & { hostname?: string },
  wasReached: boolean,
  { name, address, trust, ownCertificate }: Peer,
): PermanentError | undefined {
  const known = (code: string, what: string, hint: string): PermanentError => ({
    code,
    message: `${what} (${cause.code})`,
    hint,
  });
  switch (faultOf(cause)) {
    case 'no TLS':
      return known('tls_refused', `${name} does not speak https`, 'Check the port in the URL.');
    case 'other host':
      return known(
        'bad_certificate',
        `${name}'s certificate is for another host name`,
        'Use the host name of the certificate in the URL.',
      );
    case 'untrusted':
      return known('bad_certificate', `${name}'s certificate is not trusted`, trust);
    case 'refused':
      return known(
        'bad_certificate',
        `${name} refuses the client's certificate, or requires one`,
        ownCertificate,
      );
    case 'no host':
      return wasReached
        ? undefined
        : known('no_such_host', `unknown host ${cause.hostname ?? 'name'}`, `Check ${address}.`);
    default:
      return undefined;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name lookup failed',
};

/** Why a connection could not be opened, with the address or the error code; undefined for other errors. */
export function connectReason({ code = '', message }: NodeJS.ErrnoException): string | undefined {
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const [, address] = /^connect E[A-Z]+ (\S+)/.exec(message) ?? [];
  return reason && `${reason} (${address ?? code})`;
}
