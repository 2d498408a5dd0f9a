// @ts-check
// Shows what a training is doing; when it ends, the page is loaded again, or the report.
import { follow } from './events.js';

const section = document.querySelector('[data-training][data-status="running"]');
const step = section?.querySelector('[data-step]');
const bar = section?.querySelector('progress');

if (section instanceof HTMLElement && step !== null && step !== undefined)
  follow(
    `/platform/trainings/${section.dataset.training}/events`,
    /** @param {{ status: string, step: string | null, stage: number, report: string }} state */
    state => {
      if (state.status === 'finished') location.assign(`/predictions/${state.report}`);
      else if (state.status !== 'running') location.reload();
      else if (state.step !== null) {
        step.textContent = sentence(state.step);
        bar?.setAttribute('value', String(state.stage));
      }
      return state.status === 'running';
    },
    () => {
      step.textContent = 'The connection is lost. Load the page again to see how the training ended.';
    },
    () => {
      step.textContent = 'The service does not respond. Trying again…';
    },
  );

/** @param {string} text */
const sentence = text => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
