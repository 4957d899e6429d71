import type { Address } from '../../../addressing/address';
import { parseHostPrefix } from '../../../addressing/prefix';
import { refusalOf } from '../../../errors/ipam-error';
import { sendProblem, type UnsentReply } from './problem';

/** The part of a reply of a server that a page is sent by; `R` is what handlers return. */
interface PageReply<R> extends UnsentReply<R> {
  send(page: object): R;
}

/** Sends pages of a front door on the admin socket, once all of it is known: before, an answer would tell that there is nothing. */
export class PageSender {
  readonly #whenKnown: () => Promise<unknown>;

  /**
   * Sends nothing by itself.
   *
   * @param whenKnown - resolves when everything is known that pages are made of
   */
  constructor(whenKnown: () => Promise<unknown>) {
    this.#whenKnown = whenKnown;
  }

  /**
   * Sends a page, or why it cannot be made.
   *
   * @param reply - reply that has not been sent
   * @param read - makes the page
   * @returns the reply, for handlers to return
   */
  async send<R>(reply: PageReply<R>, read: () => object | Promise<object>): Promise<R> {
    try {
      await this.#whenKnown();
      return reply.send(await read());
    } catch (thrown) {
      return sendProblem(reply, refusalOf(thrown));
    }
  }

  /**
   * Sends a page about an address.
   *
   * @param reply - reply that has not been sent
   * @param text - the address as it was asked for
   * @param read - makes the page
   * @returns the reply, for handlers to return
   */
  async sendAbout<R>(
    reply: PageReply<R>,
    text: string,
    read: (address: Address) => object | Promise<object>,
  ): Promise<R> {
    const parsed = parseHostPrefix(text);
    return parsed.ok ? this.send(reply, () => read(parsed.value)) : sendProblem(reply, parsed.refusal);
  }
}
