import { accept, refuse, type Outcome } from '../errors/outcome';

/** What an {@link IdentityOrigin} works with. */
export interface IdentityOriginProps {
  /** UID of the namespace `kube-system` of this cluster. */
  readonly own: () => Promise<string>;
  /** A place at the record: the text that stood there, replaced where one is given. */
  readonly note: (text?: string) => Promise<string>;
}

/**
 * The cluster whose claims stand under an identity, by the UID of its `kube-system`: the first one that led under it. Another cluster
 * of the same identity leaves the claims alone however long the first one is silent, until an administrator says that it is gone:
 * its Services may show their addresses without an operator.
 */
export class IdentityOrigin {
  readonly #props: IdentityOriginProps;
  #own: string | undefined;
  /** Whether nobody had taken the claims at the last look. */
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
    const own = await this.#ownUid();
    const known = await this.#props.note();
    this.#isUnclaimed = known === '';
    this.#other = known === '' || known === own ? undefined : known;
  }

  /**
   * Takes the claims for this cluster where they were nobody's yet at the last look; for a leader that begins.
   *
   * @throws IpamError of record or cluster
   */
  async claim(): Promise<void> {
    if (!this.#isUnclaimed) return;
    const own = await this.#ownUid();
    // another cluster may have begun since then, or begin at the same moment
    if ((await this.#props.note()) === '') await this.#props.note(own);
    await this.look();
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
    await this.#props.note(own);
    await this.look();
    return accept(undefined);
  }

  async #ownUid(): Promise<string> {
    // once: an API server that is slow must not delay a sign of life
    this.#own ??= await this.#props.own();
    return this.#own;
  }
}
