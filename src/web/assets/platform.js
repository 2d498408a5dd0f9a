// @ts-check
// What several modules need for requests to the platform.

/** @returns {string} the token of the session, which everything that changes something needs */
export function csrfToken() {
  const meta = document.querySelector('meta[name="csrf-token"]');
  return meta?.getAttribute('content') ?? '';
}

/**
 * Sends a request to the platform.
 *
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<Response>}
 * @throws {Error} with the explanation of the problem document, if it failed
 */
export async function send(path, init = {}) {
  const headers = new Headers(init.headers);
  headers.set('x-csrf-token', csrfToken());
  const response = await fetch(path, { ...init, headers });
  if (response.ok) return response;
  throw new Error(await problemIn(response));
}

/**
 * @param {Response} response
 * @returns {Promise<string>} what went wrong
 */
async function problemIn(response) {
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  const problem = isProblem ? await response.json() : {};
  return typeof problem.detail === 'string'
    ? problem.detail
    : `The service answered with ${response.status}.`;
}
