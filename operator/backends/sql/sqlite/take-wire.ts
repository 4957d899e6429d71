import type { TakeRequest } from '../../../ports/claim-store';
import type { AddressParameter } from '../shared/address-column';
import type { HolderCells } from '../shared/claim-row';

/** First and last address of one range. */
export type WireRange = readonly [first: AddressParameter, last: AddressParameter];

/** {@link TakeRequest} in a form that crosses the thread border. */
export interface WireTake extends Omit<TakeRequest, 'address' | 'space' | 'holder'> {
  readonly verb: 'take';
  readonly address?: AddressParameter;
  /** Only when it differs from the space that was sent before for this network, zone and family. */
  readonly space?: readonly WireRange[];
  readonly holder: HolderCells;
}
