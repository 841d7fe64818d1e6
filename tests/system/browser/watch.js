// Looks at a status page as a person would, and tells on standard output what it sees: one JSON
// object a line. It asks nobody but the page; what the page asks others is told.
//
// node watch.js CHROMIUM PROFILE URL       reads one JSON command a line:
//   {"wait": SELECTOR, "text": REGEXP, "within_s": N}   until an element's text matches
//   {"keys": [KEY, ...]}                                press keys, and tell what has the focus
//   {"size": [W, H], "scheme": "dark"}                  another screen
//   {"shoot": FILE}                                     a picture of the whole page
"use strict";
const readline = require("readline");
const { chromium } = require("playwright-core");

const [chromiumPath, profile, url] = process.argv.slice(2);
const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];
const tell = (what) => process.stdout.write(JSON.stringify(what) + "\n");

// The page's own policy forbids the driver's waiting inside it, so it is asked again and again.
async function until(page, { wait, text, within_s }) {
  const pattern = new RegExp(text), deadline = Date.now() + within_s * 1000;
  for (;;) {
    const found = await page.$$eval(wait, (all) => all.map((one) => one.innerText.trim()));
    if (found.some((one) => pattern.test(one))) return { seen: found };
    if (Date.now() > deadline) throw new Error(`${wait} is ${JSON.stringify(found)}, not ${text}`);
    await page.waitForTimeout(100);
  }
}

async function press(page, keys) {
  for (const key of keys) await page.keyboard.press(key);
  const focus = await page.evaluate(() => {
    const one = document.activeElement;
    return { tag: one.tagName.toLowerCase(), id: one.id, text: one.innerText || one.value || "" };
  });
  return { focus };
}

async function resize(page, { size, scheme }) {
  await page.setViewportSize({ width: size[0], height: size[1] });
  await page.emulateMedia({ colorScheme: scheme || "light" });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  return { width };
}

async function obey(page, command) {
  if (command.wait) return until(page, command);
  if (command.keys) return press(page, command.keys);
  if (command.size) return resize(page, command);
  if (command.shoot) {
    await page.screenshot({ path: command.shoot, fullPage: true });
    return { shot: command.shoot };
  }
  throw new Error(`no such command: ${JSON.stringify(command)}`);
}

(async () => {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath, headless: true, args: ARGUMENTS,
    viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1,
  });
  const page = context.pages()[0] || (await context.newPage());
  page.on("console", (one) => tell({ console: one.type(), text: one.text() }));
  page.on("pageerror", (error) => tell({ console: "error", text: error.message }));
  page.on("request", (one) => tell({ request: one.url() }));
  page.on("framenavigated", (frame) => tell({ navigated: frame.url() }));
  await page.goto(url);
  tell({ opened: await page.title() });
  for await (const line of readline.createInterface({ input: process.stdin })) {
    try {
      tell(await obey(page, JSON.parse(line)));
    } catch (error) {
      tell({ failed: error.message.split("\n")[0], command: line });
    }
  }
  await context.close();
})();
