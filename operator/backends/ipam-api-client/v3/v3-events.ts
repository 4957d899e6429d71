/** One server-sent event. */
export interface ServerEvent {
  /** Empty where it has none. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Most characters of an event that has not ended. */
const MOST_CHARACTERS = 1024 * 1024;

/** Reads server-sent events (HTML standard, section 9.2) from text that comes in pieces. */
export class EventReader {
  #rest = '';

  /**
   * Takes the next piece.
   *
   * @param text - as it came
   * @returns the events that are whole now; comments and what is too long are left out
   */
  read(text: string): readonly ServerEvent[] {
    this.#rest += text.replaceAll('\r\n', '\n');
    const blocks = this.#rest.split('\n\n');
    const rest = blocks.pop() ?? '';
    this.#rest = rest.length > MOST_CHARACTERS ? '' : rest;
    return blocks.map(eventOf).filter(({ id, event, data }) => id + event + data !== '');
  }
}

function eventOf(block: string): ServerEvent {
  const fields: Record<'id' | 'event' | 'data', string> = { id: '', event: '', data: '' };
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/u.exec(line) ?? [];
    if (name === 'data' && fields.data !== '') fields.data += `\n${value}`;
    else if (name === 'id' || name === 'event' || name === 'data') fields[name] = value;
  }
  return fields;
}
