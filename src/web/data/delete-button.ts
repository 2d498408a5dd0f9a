import { confirmButton } from '../elements/confirm.ts';
import type { Html } from '../html.ts';
import type { Session } from '../session/sessions.ts';

/** The button that deletes data, after a question. */
export const deleteButton = (id: string, name: Html, session: Session): Html =>
  confirmButton({
    id: `delete-${id}`,
    label: 'Delete',
    about: name,
    title: ['Delete ', name, '?'],
    session,
    text: 'The file is removed from the service. Reports that were trained on it stay.',
    action: `/platform/data/${id}/delete`,
    submit: 'Delete data',
  });
