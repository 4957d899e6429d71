import { accept, refuse, type Outcome } from '../errors/outcome';

/** Parts of an {@link IdentityOrigin}. */
export interface IdentityOriginProps {
  /** UID of the namespace `kube-system` of this cluster. */
  readonly own: () => Promise<string>;
  /** A place at the record: the text that stands there in the end, replaced in one step where the expected one stood there. */
  readonly note: (change?: { readonly text: string; readonly expected: string }) => Promise<string>;
}

/**
 * The cluster whose claims stand under an identity, by the UID of its `kube-system`: the first one that led under it. Another cluster
 * of the same identity leaves the claims alone however long the first one is silent, until an administrator says that it is gone:
 * its Services may show their addresses without an operator.
 */
export class IdentityOrigin {
  readonly #props: IdentityOriginProps;
  #own: string | undefined;
  /** Whether no cluster had taken the claims at the last look. */
  #isUnclaimed = false;
  #other: string | undefined;

  /**
   * Knows nothing yet.
   *
   * @param props - own UID, and the place at the record
   */
  constructor(props: IdentityOriginProps) {
    this.#props = props;
  }

  /**
   * Tells which other cluster the claims belong to.
   *
   * @returns UID of its `kube-system`, as of the last look; undefined where they are this cluster's
   */
  other(): string | undefined {
    return this.#other;
  }

  /**
   * Looks whose the claims are.
   *
   * @throws IpamError of record or cluster
   */
  async look(): Promise<void> {
    this.#learn(await this.#ownUid(), await this.#props.note());
  }

  /**
   * Takes the claims for this cluster where they were free at the last look; for a leader that begins.
   *
   * @throws IpamError of record or cluster
   */
  async claim(): Promise<void> {
    if (!this.#isUnclaimed) return;
    const own = await this.#ownUid();
    // another cluster may have begun since then, or begin at the same moment: the record lets one of them
    this.#learn(own, await this.#props.note({ text: own, expected: '' }));
  }

  /**
   * Takes the claims over from a cluster that is gone.
   *
   * @param uid - of its `kube-system`
   * @param dryRun - true: only tells
   * @returns nothing; or refusal `api/not-found` where they are not that cluster's
   * @throws IpamError of record or cluster
   */
  async forget(uid: string, dryRun: boolean): Promise<Outcome<void>> {
    const own = await this.#ownUid();
    const known = await this.#props.note();
    if (known !== uid || known === own) {
      const message = `no other cluster with kube-system "${uid}" goes by the identity of this one; it is ${known === own || known === '' ? 'this one alone' : `"${known}"`}`;
      return refuse('api/not-found', message, { value: uid });
    }
    if (dryRun) return accept(undefined);
    this.#learn(own, await this.#props.note({ text: own, expected: uid }));
    return accept(undefined);
  }

  #learn(own: string, known: string): void {
    this.#isUnclaimed = known === '';
    this.#other = known === '' || known === own ? undefined : known;
  }

  async #ownUid(): Promise<string> {
    // once: an API server that is slow must not delay a sign of life
    this.#own ??= await this.#props.own();
    return this.#own;
  }
}
