import type { ZoneProps, ZonesDocument } from './zones';

/**
 * Brings typed props into the form of the file, so that both are read by `parseZones`.
 *
 * @param props - zones and the zone of Services that name none
 * @param props.zones - in the order in which the document lists them
 * @param props.defaultZone - for Services without a zone of their own
 * @returns what `parseZones` takes
 */
export function toZonesDocument(props: {
  readonly zones: readonly ZoneProps[];
  readonly defaultZone?: string | undefined;
}): ZonesDocument {
  return {
    version: 2,
    ...(props.defaultZone === undefined ? {} : { services: { defaultZone: props.defaultZone } }),
    zones: props.zones,
  };
}
