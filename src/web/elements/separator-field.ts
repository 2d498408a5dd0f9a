import { html } from '../html.ts';

/** The choice of the character between columns, closed because few files need it. */
export const separatorField = html`<details class="separator small" data-separator><summary>Not separated by commas?</summary>
<label class="field">Character between columns
<select name="delimiter" data-delimiter><option value="">comma, or tab for .tsv</option><option value=";">semicolon</option><option value="tab">tab</option><option value="|">vertical bar</option></select></label>
</details>`;
