/** Fields without a value, and with one that the model does not know, which were read since somebody set these to 0. */
export let missing: i32 = 0;
export let unseen: i32 = 0;

export function countMissing(): void {
  missing++;
}

export function countUnseen(): void {
  unseen++;
}
