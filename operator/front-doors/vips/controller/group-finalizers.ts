import { listOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { GROUP_FINALIZER } from '../../../contract/paas';
import type { VipsDoorParts } from './door-parts';
import { afterWrite } from '../../../errors/after-write';
import { SharedWrites } from '../../../runtime/shared-writes';

/**
 * Tells whether the finalizer of the door is on a group.
 *
 * @param group - as the API server has it
 * @returns true where its deletion waits for the last holder
 */
export function hasFinalizer(group: JsonMap): boolean {
  return listOf(metadataOf(group)['finalizers']).includes(GROUP_FINALIZER);
}

/**
 * Finalizers of the groups that addresses are given from. It is put on before the first address is given: in between, a group could be
 * deleted at once although a Service has an address of it.
 */
export class GroupFinalizers {
  readonly #parts: Pick<VipsDoorParts, 'groups' | 'groupWriter'>;
  /** By UID of the group; many Services begin at the same time. */
  readonly #written = new SharedWrites<true>();

  /**
   * Starts without a write.
   *
   * @param parts - groups as the watch tells them, and their writer
   */
  constructor(parts: Pick<VipsDoorParts, 'groups' | 'groupWriter'>) {
    this.#parts = parts;
  }

  /**
   * Puts the finalizer on a group, unless it is there.
   *
   * @param name - as the API server has it
   * @returns false where the group changed meanwhile, or went; true for one that is not stored, whose addresses are on record all the same
   * @throws IpamError where the cluster does not answer, or refuses the write
   */
  async add(name: string): Promise<boolean> {
    const group = this.#parts.groups.get('', name);
    if (group === undefined || hasFinalizer(group)) return true;
    const uid = textOf(metadataOf(group)['uid']);
    const key = { namespace: '', name, uid };
    const isOn = await this.#written.do(uid, async () =>
      afterWrite(await this.#parts.groupWriter.addFinalizer(key, GROUP_FINALIZER)) === 'written' ? true : undefined,
    );
    return isOn === true;
  }
}
