import type { Address } from '../../addressing/address';
import type { DoorEvent } from '../../contract/ipam-api/door-pages';
import { objectText } from '../../contract/object-name';
import type { RecordedEvent, RecordedEvents } from '../../ports/event-reader';

/**
 * Lists the Events of this operator that name an address.
 *
 * @param recorded - reads Events
 * @param address - any address
 * @returns newest first
 * @throws IpamError `cluster/unavailable`
 */
export async function eventsAbout(recorded: RecordedEvents, address: Address): Promise<readonly DoorEvent[]> {
  const text = address.toString();
  const events = await recorded.recorded();
  return events.filter(({ message }) => names(message, text)).map(eventAnswer);
}

// A longer address that begins or ends alike is another one.
function names(message: string, address: string): boolean {
  return message.split(/[^0-9a-fA-F.:]+/u).some((word) => word.replace(/[.:]+$/u, '') === address || word === address);
}

function eventAnswer({ time, reason, message, regarding }: RecordedEvent): DoorEvent {
  return { time, reason, message, object: objectText(regarding) };
}
