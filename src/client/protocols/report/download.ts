import { startDeadline } from '../../transport/deadline.ts';
import type { Transport } from '../../transport/http.ts';
import type { HttpRequest } from '../../transport/http-request.ts';

/**
 * A CSV of any size as it arrives. It is not retried.
 *
 * @throws CallError
 */
export async function* download(transport: Transport, path: string): AsyncGenerator<Buffer> {
  const request: HttpRequest = { method: 'GET', path, accept: 'text/csv' };
  const deadline = startDeadline(transport.timeout, undefined);
  try {
    const response = await transport.open(request, deadline.signal);
    for await (const chunk of response.body) yield chunk;
  } catch (cause) {
    throw transport.failure(cause, transport.locationOf(request));
  } finally {
    deadline.release();
  }
}
