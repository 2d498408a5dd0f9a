import { openConnection, type RawConnection } from './socket.ts';

const request = 'GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n';

/**
 * A connection whose client does not read: it sends one request after the other until the kernel cannot take the whole
 * response to the last one, which stays with the service.
 *
 * @param served how many requests the service has answered so far
 */
export async function unreadResponses(
  url: string,
  served: () => number,
): Promise<{ line: RawConnection; requests: number }> {
  const line = await openConnection(url);
  line.socket.pause();
  for (let requests = 1, before = served(); ; requests++, before++) {
    line.socket.write(request);
    for (let turns = 0; served() === before; turns++) {
      if (turns === 50) return { line, requests };
      await new Promise(done => setTimeout(done, 10));
    }
  }
}
