import { html } from '../html.ts';
import { noticeBox } from '../notice.ts';
import type { Page } from '../page.ts';
import { csrfField } from '../session/csrf.ts';

export interface SignInForm {
  /** Where to go then. */
  next: string;
  /** Why the last attempt failed. */
  message: string | undefined;
  csrfToken: string;
}

export const signInPage = ({ next, message, csrfToken }: SignInForm): Page => ({
  title: 'Sign in',
  content: html`
    <div class="sign-in">
      <h1>Sign in to rowcast</h1>
      ${message !== undefined && noticeBox({ kind: 'bad', text: message })}
      <form class="card stack" method="post" action="/platform/sign-in">
        ${csrfField({ csrfToken })}
        <input type="hidden" name="next" value="${next}">
        <input type="text" name="user" value="rowcast" autocomplete="username" hidden>
        <div class="field">
          <label for="key">API key</label>
          <input id="key" name="key" type="password" autocomplete="current-password" required autofocus
            spellcheck="false" maxlength="1000" aria-describedby="key-hint">
          <p class="hint" id="key-hint">A key with the scope <code>platform</code>.</p>
        </div>
        <button class="button primary" type="submit">Sign in</button>
      </form>
      <details>
        <summary>No key?</summary>
        <p>Started <code>rowcast serve</code> yourself? Open the sign-in address that it printed on the terminal.
          It works once, for 15 minutes.</p>
        <p>Otherwise create a key on that machine:</p>
        <pre class="code">rowcast keys add NAME --scope predict,report,platform</pre>
      </details>
    </div>`,
});
