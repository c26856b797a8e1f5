// Owns the order in which projects get a shared resource: round robin between projects, first in, first out inside one, with a
// bound for each project and one for all. Must never know what the items are, nor run them.

import { Refusal, unavailable } from "../errors.ts";

export interface QueueLimits {
  /** What waits, in the plural; for messages. */
  readonly items: string;
  /** Items of one project that may wait. */
  readonly perProject: number;
  readonly inAll: number;
  readonly retryAfterSeconds: number;
}

/** Who waits. */
export interface Waiter {
  /** Id of the project. */
  readonly project: string;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** Work of the server itself, such as a health check, takes turns as if it belonged to one more project. */
export const serverItself: Waiter = { project: "server", signal: new AbortController().signal };

export interface Queued {
  /** Called when the item is removed without having had its turn. */
  refuse(reason: Refusal): void;
}

export class FairQueue<Item extends Queued> {
  readonly #limits: QueueLimits;
  /** The next project in turn is the first one. A project without items is not among them. */
  readonly #projects = new Map<string, Set<Item>>();
  #size = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Items that wait. */
  get size(): number {
    return this.#size;
  }

  /** Projects that have an item waiting. */
  get projects(): number {
    return this.#projects.size;
  }

  /**
   * Adds an item behind the others of its project. When the queue is full, the project with the most items gives one up, so that no
   * other project is refused because of it.
   * @throws Refusal 1429 when the project has reached its own bound; 1503 when the queue is full and no project has more items.
   */
  add(project: string, item: Item): void {
    const items = this.#projects.get(project) ?? new Set();
    if (items.size >= this.#limits.perProject) throw this.#tooManyOfProject();
    if (this.#size >= this.#limits.inAll) this.#makeRoom(items.size);
    this.#projects.set(project, items.add(item));
    this.#size += 1;
  }

  /** The next item in turn. */
  peek(): Item | undefined {
    for (const [item] of this.#projects.values()) return item;
    return undefined;
  }

  /** Removes the next item in turn, of those that `accepts` takes. A project that is passed over keeps its place in the order. */
  take(accepts: (project: string, item: Item) => boolean = () => true): Item | undefined {
    for (const [project, items] of this.#projects) {
      const [item] = items;
      if (item === undefined || !accepts(project, item)) continue;
      this.remove(project, item);
      // To the end of the order.
      if (this.#projects.delete(project)) this.#projects.set(project, items);
      return item;
    }
    return undefined;
  }

  /** @returns false when the item does not wait any more. */
  remove(project: string, item: Item): boolean {
    const items = this.#projects.get(project);
    if (items?.delete(item) !== true) return false;
    if (items.size === 0) this.#projects.delete(project);
    this.#size -= 1;
    return true;
  }

  /** Removes all items and refuses them. */
  drain(reason: Refusal): void {
    const all = [...this.#projects.values()].flatMap((items) => [...items]);
    this.#projects.clear();
    this.#size = 0;
    for (const item of all) item.refuse(reason);
  }

  /** Refuses the newest item of the project with the most. @throws Refusal 1503 when that would be the newcomer's own. */
  #makeRoom(itemsOfNewcomer: number): void {
    const full = unavailable(
      `The server has too many ${this.#limits.items} waiting. Send the call again later.`,
      this.#limits.retryAfterSeconds,
    );
    const [[longest, items] = []] = [...this.#projects].sort(([, a], [, b]) => b.size - a.size);
    const newest = items === undefined ? undefined : [...items].at(-1);
    if (longest === undefined || items === undefined || newest === undefined) throw full;
    if (items.size <= itemsOfNewcomer + 1) throw full;
    this.remove(longest, newest);
    newest.refuse(full);
  }

  #tooManyOfProject(): Refusal {
    const { items, perProject, retryAfterSeconds } = this.#limits;
    const message = `This project has ${perProject} ${items} waiting, which is the maximum. Wait for their answers before you send more.`;
    return new Refusal(1429, message, {}, retryAfterSeconds);
  }
}
